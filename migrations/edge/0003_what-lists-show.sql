ALTER TABLE `instances` ADD `folded_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `instances` ADD `former_number` text DEFAULT '' NOT NULL;