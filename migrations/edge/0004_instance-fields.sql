CREATE TABLE `instance_fields` (
	`instance_id` text PRIMARY KEY NOT NULL,
	`fields` text NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
