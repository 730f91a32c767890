-- All tables of a session host.
CREATE TABLE `calls` (
	`instance` text NOT NULL,
	`callid` text NOT NULL,
	`creator` text NOT NULL,
	`at` integer NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`instance`, `callid`)
);
--> statement-breakpoint
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
CREATE TABLE `credentials` (
	`instance` text NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`instance`, `kind`, `id`)
);
--> statement-breakpoint
CREATE TABLE `fence` (
	`held` integer NOT NULL,
	CONSTRAINT "fence_holds" CHECK("fence"."held" = 1)
);
--> statement-breakpoint
CREATE TABLE `groups` (
	`instance` text NOT NULL,
	`jid` text NOT NULL,
	`subject` text NOT NULL,
	`group` text NOT NULL,
	`asked_at` integer NOT NULL,
	PRIMARY KEY(`instance`, `jid`)
);
--> statement-breakpoint
CREATE TABLE `journal` (
	`id` text PRIMARY KEY NOT NULL,
	`holder` text DEFAULT '' NOT NULL,
	`instance` text NOT NULL,
	`action` text NOT NULL,
	`outcome` text,
	`accepted_at` integer NOT NULL,
	`messageid` text DEFAULT '' NOT NULL,
	`seen` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `limits` (
	`instance` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`chatid` text NOT NULL,
	`at` integer NOT NULL,
	`from_me` integer NOT NULL,
	`change` integer DEFAULT false NOT NULL,
	`unread` integer NOT NULL,
	`track_id` text DEFAULT '' NOT NULL,
	`record` text NOT NULL,
	`encoded` blob,
	`request_id` text,
	`traceparent` text,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
CREATE INDEX `messages_by_chat` ON `messages` (`instance`,`chatid`,`at`);--> statement-breakpoint
CREATE INDEX `messages_unread` ON `messages` (`instance`,`chatid`,`unread`);--> statement-breakpoint
CREATE INDEX `messages_by_track` ON `messages` (`instance`,`track_id`,`at`);--> statement-breakpoint
CREATE INDEX `messages_by_age` ON `messages` (`at`);--> statement-breakpoint
CREATE INDEX `messages_by_time` ON `messages` (`instance`,`at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`n` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`holder` text DEFAULT '' NOT NULL,
	`instance` text NOT NULL,
	`report` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`instance` text PRIMARY KEY NOT NULL,
	`holder` text DEFAULT '' NOT NULL,
	`kind` text NOT NULL,
	`epoch` integer NOT NULL,
	`rev` integer DEFAULT 0 NOT NULL,
	`wanted` integer DEFAULT false NOT NULL,
	`status` text DEFAULT 'disconnected' NOT NULL,
	`jid` text DEFAULT '' NOT NULL,
	`lid` text DEFAULT '' NOT NULL,
	`profile_name` text DEFAULT '' NOT NULL,
	`last_disconnect` integer DEFAULT 0 NOT NULL,
	`last_disconnect_reason` text DEFAULT '' NOT NULL,
	`proxy` blob
);
--> statement-breakpoint
CREATE TABLE `store_identity` (
	`one` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `unawaited` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`unknown_reported` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
CREATE TABLE `undecryptable` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`due_at` integer NOT NULL,
	`payload` text NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
CREATE TABLE `blocked` (
	`instance` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`instance`, `id`)
);
--> statement-breakpoint
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
CREATE TABLE `known_names` (
	`instance` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`instance`, `id`)
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
