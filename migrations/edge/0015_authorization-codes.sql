CREATE TABLE `authorization_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`client_hash` text NOT NULL,
	`client_name` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`resource` text NOT NULL,
	`challenge` text NOT NULL,
	`scope` text NOT NULL,
	`chats` text,
	`lifetime` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`token_id` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `authorization_codes_by_instance` ON `authorization_codes` (`instance_id`);--> statement-breakpoint
CREATE INDEX `authorization_codes_by_expiry` ON `authorization_codes` (`expires_at`);