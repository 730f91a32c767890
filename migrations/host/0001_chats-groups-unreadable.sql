CREATE TABLE `chats` (
	`instance` text NOT NULL,
	`chatid` text NOT NULL,
	`chatlid` text DEFAULT '' NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`is_group` integer NOT NULL,
	`last_at` integer NOT NULL,
	`last_messageid` text NOT NULL,
	PRIMARY KEY(`instance`, `chatid`)
);
--> statement-breakpoint
CREATE INDEX `chats_by_age` ON `chats` (`instance`,`last_at`);--> statement-breakpoint
CREATE TABLE `groups` (
	`instance` text NOT NULL,
	`jid` text NOT NULL,
	`subject` text NOT NULL,
	`group` text NOT NULL,
	`asked_at` integer NOT NULL,
	PRIMARY KEY(`instance`, `jid`)
);
--> statement-breakpoint
CREATE TABLE `unreadable` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`due_at` integer NOT NULL,
	`payload` text NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
ALTER TABLE `journal` ADD `messageid` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `change` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_by_track` ON `messages` (`instance`,`track_id`,`at`);--> statement-breakpoint
CREATE INDEX `messages_by_age` ON `messages` (`at`);