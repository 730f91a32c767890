CREATE TABLE `former_hosts` (
	`instance_id` text NOT NULL,
	`host_id` text NOT NULL,
	`epoch` integer NOT NULL,
	PRIMARY KEY(`instance_id`, `host_id`),
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `late_outcomes` ADD `instance_id` text;--> statement-breakpoint
CREATE INDEX `late_outcomes_by_instance` ON `late_outcomes` (`instance_id`) WHERE instance_id is not null;