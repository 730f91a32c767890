CREATE TABLE `webhook_events` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`at` integer NOT NULL,
	`envelope` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_events_by_age` ON `webhook_events` (`at`);--> statement-breakpoint
CREATE INDEX `webhook_events_of_instances` ON `webhook_events` (`instance_id`);--> statement-breakpoint
CREATE INDEX `webhook_events_due` ON `webhook_events` (`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
ALTER TABLE `server_webhook` ADD `gets_webhook_events` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `reported_trouble` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `webhooks_in_trouble` ON `webhooks` (`lane`) WHERE failing_since > 0 or gone or reported_trouble <> '';