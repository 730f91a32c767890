CREATE TABLE `scheduled` (
	`n` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`due_at` integer NOT NULL,
	`action` text NOT NULL,
	`input` text NOT NULL,
	`record` text NOT NULL,
	`file_bytes` integer DEFAULT 0 NOT NULL,
	`ended` text DEFAULT '' NOT NULL,
	`request_id` text,
	`traceparent` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scheduled_by_message` ON `scheduled` (`instance`,`messageid`);--> statement-breakpoint
CREATE INDEX `scheduled_by_time` ON `scheduled` (`due_at`);--> statement-breakpoint
CREATE INDEX `scheduled_by_instance` ON `scheduled` (`instance`,`due_at`);--> statement-breakpoint
CREATE TABLE `scheduled_files` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`place` integer NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`instance`, `messageid`, `place`)
);
