CREATE TABLE `fence` (
	`held` integer NOT NULL,
	CONSTRAINT "fence_holds" CHECK("fence"."held" = 1)
);
--> statement-breakpoint
CREATE TABLE `store_identity` (
	`one` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `journal` ADD `holder` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `holder` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `holder` text DEFAULT '' NOT NULL;