ALTER TABLE `instances` ADD `delay_min` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `instances` ADD `delay_max` integer DEFAULT 0 NOT NULL;