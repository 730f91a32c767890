CREATE TABLE `gaps` (
	`instance` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`recovered` integer DEFAULT 0 NOT NULL,
	`oldest` integer,
	PRIMARY KEY(`instance`, `to_at`)
);
--> statement-breakpoint
CREATE TABLE `late_messages` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`at` integer NOT NULL,
	`place` integer NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
CREATE INDEX `late_messages_by_time` ON `late_messages` (`instance`,`at`,`place`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `coverage` text;