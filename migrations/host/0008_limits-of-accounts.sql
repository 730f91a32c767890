CREATE TABLE `limits` (
	`instance` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL
);
