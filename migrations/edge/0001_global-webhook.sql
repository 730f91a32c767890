-- The global webhook and what instances inherit of it; who listens to a stream; failures and dead events found without reading all others.
CREATE TABLE `listeners` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server_webhook` (
	`id` text PRIMARY KEY NOT NULL,
	`registered` integer NOT NULL,
	`source` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`ignored_events` text NOT NULL,
	`exclude_messages` text,
	`enabled` integer NOT NULL,
	`secret` blob,
	`previous_secret` blob,
	`previous_secret_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` DROP COLUMN `starts_after_seq`;--> statement-breakpoint
CREATE INDEX `events_dead` ON `events` (`instance_id`,`dead_at`) WHERE status = 'dead';--> statement-breakpoint
CREATE INDEX `events_failed` ON `events` (`instance_id`,`seq`) WHERE last_error is not null;