CREATE TABLE `presence_subscriptions` (
	`instance` text NOT NULL,
	`chatid` text NOT NULL,
	`lid` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`instance`, `chatid`)
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `online` integer DEFAULT false NOT NULL;