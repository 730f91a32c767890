CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`owner` text NOT NULL,
	`payload` text NOT NULL,
	`at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`last_attempt_at` integer,
	`delivered_at` integer,
	`dead_at` integer,
	`last_status` integer,
	`last_error` text,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_by_seq` ON `events` (`instance_id`,`seq`);--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`instance_id`,`next_attempt_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `events_by_status` ON `events` (`instance_id`,`status`,`seq`);--> statement-breakpoint
CREATE INDEX `events_by_age` ON `events` (`created_at`);--> statement-breakpoint
CREATE TABLE `hosts` (
	`id` text PRIMARY KEY NOT NULL,
	`region` text NOT NULL,
	`token_hash` text NOT NULL,
	`slots` integer DEFAULT 0 NOT NULL,
	`sessions` integer DEFAULT 0 NOT NULL,
	`lag` integer DEFAULT 0 NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`boot` text DEFAULT '' NOT NULL,
	`draining` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hosts_token_hash_unique` ON `hosts` (`token_hash`);--> statement-breakpoint
CREATE TABLE `instances` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`company_id` text DEFAULT '' NOT NULL,
	`token_hash` text NOT NULL,
	`host_id` text DEFAULT '' NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`rev` integer DEFAULT 0 NOT NULL,
	`status` text DEFAULT 'disconnected' NOT NULL,
	`connected` integer DEFAULT false NOT NULL,
	`logged_in` integer DEFAULT false NOT NULL,
	`jid` text DEFAULT '' NOT NULL,
	`lid` text DEFAULT '' NOT NULL,
	`profile_name` text DEFAULT '' NOT NULL,
	`pairing` text,
	`last_disconnect` integer DEFAULT 0 NOT NULL,
	`last_disconnect_reason` text DEFAULT '' NOT NULL,
	`last_seq` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `instances_token_hash_unique` ON `instances` (`token_hash`);--> statement-breakpoint
CREATE INDEX `instances_by_company` ON `instances` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `instances_by_host` ON `instances` (`host_id`);--> statement-breakpoint
CREATE TABLE `replays` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`state` text NOT NULL,
	`act_id` text DEFAULT '' NOT NULL,
	`messageid` text DEFAULT '' NOT NULL,
	`status` integer DEFAULT 0 NOT NULL,
	`response` blob,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
);
--> statement-breakpoint
CREATE INDEX `replays_by_expiry` ON `replays` (`expires_at`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`mode` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`ignored_events` text NOT NULL,
	`exclude_messages` text,
	`enabled` integer NOT NULL,
	`secret` blob,
	`previous_secret` blob,
	`previous_secret_until` integer DEFAULT 0 NOT NULL,
	`gone` integer DEFAULT false NOT NULL,
	`starts_after_seq` integer DEFAULT 0 NOT NULL,
	`last_delivered_at` integer DEFAULT 0 NOT NULL,
	`last_failure` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_id_unique` ON `subscriptions` (`id`);