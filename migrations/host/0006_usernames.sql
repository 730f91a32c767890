CREATE TABLE `usernames` (
	`instance` text NOT NULL,
	`id` text NOT NULL,
	`username` text NOT NULL,
	PRIMARY KEY(`instance`, `id`)
);
