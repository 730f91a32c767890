ALTER TABLE `events` ADD `request_id` text;--> statement-breakpoint
ALTER TABLE `events` ADD `traceparent` text;