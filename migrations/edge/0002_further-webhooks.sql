CREATE TABLE `further_deliveries` (
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`seq` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`last_attempt_at` integer,
	`last_duration` integer,
	`delivered_at` integer,
	`dead_at` integer,
	`last_status` integer,
	`last_error` text,
	`last_response` blob,
	PRIMARY KEY(`webhook_id`, `event_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `further_webhooks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `further_deliveries_by_event` ON `further_deliveries` (`event_id`);--> statement-breakpoint
CREATE INDEX `further_deliveries_waiting` ON `further_deliveries` (`webhook_id`,`next_attempt_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `further_deliveries_dead` ON `further_deliveries` (`webhook_id`,`dead_at`) WHERE status = 'dead';--> statement-breakpoint
CREATE INDEX `further_deliveries_failed` ON `further_deliveries` (`webhook_id`,`seq`) WHERE last_error is not null;--> statement-breakpoint
CREATE INDEX `further_deliveries_refused` ON `further_deliveries` (`last_attempt_at`) WHERE last_response is not null;--> statement-breakpoint
CREATE TABLE `further_webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`ignored_events` text NOT NULL,
	`exclude_messages` text,
	`enabled` integer NOT NULL,
	`add_url_events` integer DEFAULT false NOT NULL,
	`add_url_types` integer DEFAULT false NOT NULL,
	`secret` blob,
	`previous_secret` blob,
	`previous_secret_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`header_names` text,
	`headers` blob,
	`gone` integer DEFAULT false NOT NULL,
	`last_delivered_at` integer DEFAULT 0 NOT NULL,
	`failing_since` integer DEFAULT 0 NOT NULL,
	`last_failure` text,
	`chats` text,
	`cursor` integer NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `further_webhooks_by_instance` ON `further_webhooks` (`instance_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `header_names` text;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `headers` blob;