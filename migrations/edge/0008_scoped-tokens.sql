CREATE TABLE `scoped_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`chats` text,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`last_used_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scoped_tokens_token_hash_unique` ON `scoped_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `scoped_tokens_by_instance` ON `scoped_tokens` (`instance_id`,`created_at`);