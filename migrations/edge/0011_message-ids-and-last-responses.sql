ALTER TABLE `events` ADD `last_response` blob;--> statement-breakpoint
ALTER TABLE `events` ADD `messageid` text;--> statement-breakpoint
CREATE INDEX `events_refused` ON `events` (`last_attempt_at`) WHERE last_response is not null;--> statement-breakpoint
CREATE INDEX `events_by_message` ON `events` (`messageid`,`instance_id`) WHERE messageid is not null;--> statement-breakpoint
CREATE INDEX `events_filtered` ON `events` (`instance_id`,`seq`,`type`,`created_at`);