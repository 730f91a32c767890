CREATE TABLE `calls` (
	`instance` text NOT NULL,
	`callid` text NOT NULL,
	`creator` text NOT NULL,
	`at` integer NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`instance`, `callid`)
);
