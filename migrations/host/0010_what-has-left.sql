ALTER TABLE `journal` ADD `has_left` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `unawaited` ADD `has_left` integer DEFAULT true NOT NULL;