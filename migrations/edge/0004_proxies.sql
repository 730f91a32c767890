CREATE TABLE `proxies` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`enabled` integer NOT NULL,
	`url` blob NOT NULL
);
