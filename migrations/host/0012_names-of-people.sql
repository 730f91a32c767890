CREATE TABLE `known_names` (
	`instance` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`instance`, `id`)
);
