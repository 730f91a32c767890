CREATE TABLE `uploaded_files` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`mimetype` text NOT NULL,
	`file_name` text NOT NULL,
	`size` integer NOT NULL,
	`sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`complete` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `uploaded_files_by_instance` ON `uploaded_files` (`instance_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `uploaded_files_by_age` ON `uploaded_files` (`created_at`);--> statement-breakpoint
CREATE TABLE `uploaded_pieces` (
	`file_id` text NOT NULL,
	`place` integer NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`file_id`, `place`),
	FOREIGN KEY (`file_id`) REFERENCES `uploaded_files`(`id`) ON UPDATE no action ON DELETE cascade
);
