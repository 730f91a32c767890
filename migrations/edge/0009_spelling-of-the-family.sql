CREATE TABLE `instance_tokens` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`token` blob NOT NULL
);
--> statement-breakpoint
ALTER TABLE `server_webhook` ADD `add_url_events` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `server_webhook` ADD `add_url_types` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `add_url_events` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `add_url_types` integer DEFAULT false NOT NULL;