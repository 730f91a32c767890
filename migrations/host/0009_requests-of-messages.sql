ALTER TABLE `messages` ADD `request_id` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `traceparent` text;