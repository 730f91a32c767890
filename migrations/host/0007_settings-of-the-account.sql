CREATE TABLE `chat_labels` (
	`instance` text NOT NULL,
	`chatid` text NOT NULL,
	`labelid` text NOT NULL,
	PRIMARY KEY(`instance`, `chatid`, `labelid`)
);
--> statement-breakpoint
CREATE TABLE `chat_settings` (
	`instance` text NOT NULL,
	`chatid` text NOT NULL,
	`archived` integer DEFAULT false NOT NULL,
	`pinned` integer DEFAULT false NOT NULL,
	`muted_until` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`instance`, `chatid`)
);
--> statement-breakpoint
CREATE TABLE `contacts` (
	`instance` text NOT NULL,
	`jid` text NOT NULL,
	`lid` text DEFAULT '' NOT NULL,
	`name` text NOT NULL,
	`first_name` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`instance`, `jid`)
);
--> statement-breakpoint
CREATE TABLE `labels` (
	`instance` text NOT NULL,
	`labelid` text NOT NULL,
	`name` text NOT NULL,
	`color` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`instance`, `labelid`)
);
