CREATE TABLE `lost_messages` (
	`instance` text NOT NULL,
	`name` text NOT NULL,
	`messageid` text NOT NULL,
	`chatid` text NOT NULL,
	`sender` text NOT NULL,
	`at` integer NOT NULL,
	`due_at` integer,
	PRIMARY KEY(`instance`, `name`)
);
