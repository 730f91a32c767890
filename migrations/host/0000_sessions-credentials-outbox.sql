CREATE TABLE `credentials` (
	`instance` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`instance`, `kind`, `id`)
);
--> statement-breakpoint
CREATE TABLE `journal` (
	`id` text PRIMARY KEY NOT NULL,
	`instance` text NOT NULL,
	`action` text NOT NULL,
	`outcome` text,
	`accepted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`chatid` text NOT NULL,
	`at` integer NOT NULL,
	`from_me` integer NOT NULL,
	`unread` integer NOT NULL,
	`track_id` text DEFAULT '' NOT NULL,
	`record` text NOT NULL,
	`wire` blob,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
CREATE INDEX `messages_by_chat` ON `messages` (`instance`,`chatid`,`at`);--> statement-breakpoint
CREATE INDEX `messages_unread` ON `messages` (`instance`,`chatid`,`unread`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`n` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`instance` text NOT NULL,
	`report` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`instance` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`epoch` integer NOT NULL,
	`rev` integer DEFAULT 0 NOT NULL,
	`wanted` integer DEFAULT false NOT NULL,
	`status` text DEFAULT 'disconnected' NOT NULL,
	`jid` text DEFAULT '' NOT NULL,
	`lid` text DEFAULT '' NOT NULL,
	`profile_name` text DEFAULT '' NOT NULL,
	`last_disconnect` integer DEFAULT 0 NOT NULL,
	`last_disconnect_reason` text DEFAULT '' NOT NULL
);
