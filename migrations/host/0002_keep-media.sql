CREATE TABLE `held_reports` (
	`n` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`instance` text NOT NULL,
	`chatid` text NOT NULL,
	`messageid` text NOT NULL,
	`until` integer NOT NULL,
	`report` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `held_reports_by_chat` ON `held_reports` (`instance`,`chatid`);--> statement-breakpoint
CREATE TABLE `stored_media` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`key` blob,
	`bytes` integer DEFAULT 0 NOT NULL,
	`at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
--> statement-breakpoint
CREATE INDEX `stored_media_by_state` ON `stored_media` (`state`,`next_at`);--> statement-breakpoint
CREATE INDEX `stored_media_by_name` ON `stored_media` (`name`);--> statement-breakpoint
CREATE INDEX `stored_media_by_age` ON `stored_media` (`at`);