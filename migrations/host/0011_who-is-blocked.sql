CREATE TABLE `blocked` (
	`instance` text NOT NULL,
	`id` text NOT NULL,
	PRIMARY KEY(`instance`, `id`)
);
