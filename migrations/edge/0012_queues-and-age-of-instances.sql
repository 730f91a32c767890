CREATE INDEX `events_in_order` ON `events` (`instance_id`,`status`,`seq`) WHERE status = 'pending' and attempts < 3;--> statement-breakpoint
CREATE INDEX `events_retried` ON `events` (`instance_id`,`next_attempt_at`) WHERE status = 'pending' and attempts >= 3;--> statement-breakpoint
CREATE INDEX `instances_by_age` ON `instances` (`created_at`);