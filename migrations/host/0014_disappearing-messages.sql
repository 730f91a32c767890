ALTER TABLE `messages` ADD `expires_at` integer;--> statement-breakpoint
CREATE INDEX `messages_by_expiry` ON `messages` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `chat_settings` ADD `timer` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `chat_settings` ADD `timer_set_at` integer DEFAULT 0 NOT NULL;