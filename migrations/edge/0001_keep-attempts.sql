CREATE TABLE `earlier_attempts` (
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	`duration` integer,
	`status` integer,
	`error` text,
	`response` blob,
	PRIMARY KEY(`event_id`, `number`),
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `earlier_attempts_refused` ON `earlier_attempts` (`at`) WHERE response is not null;--> statement-breakpoint
ALTER TABLE `events` ADD `last_duration` integer;--> statement-breakpoint
CREATE INDEX `events_unaddressed` ON `events` (`instance_id`,`seq`) WHERE status = 'delivered' and delivered_at is null;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `failing_since` integer DEFAULT 0 NOT NULL;