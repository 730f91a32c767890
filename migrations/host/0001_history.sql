DROP INDEX `messages_by_age`;--> statement-breakpoint
ALTER TABLE `messages` ADD `stored_at` integer;--> statement-breakpoint
CREATE INDEX `messages_by_age` ON `messages` (CASE WHEN stored_at IS NULL THEN at ELSE stored_at END);--> statement-breakpoint
ALTER TABLE `sessions` ADD `history` text;