CREATE TABLE `early_changes` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`chatid` text NOT NULL,
	`target` text NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
ALTER TABLE `undecryptable` ADD `type` text DEFAULT 'undecryptable' NOT NULL;