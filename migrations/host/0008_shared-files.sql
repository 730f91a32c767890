ALTER TABLE `stored_media` ADD `digest` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `stored_media` ADD `stranger` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `stored_media_by_turn` ON `stored_media` (`instance`,`state`,`stranger`,`next_at`);--> statement-breakpoint
CREATE INDEX `stored_media_by_digest` ON `stored_media` (`instance`,`digest`,`state`);