-- Admin tokens with a scope, a second live value of each token while it is renewed, and the audit log, which only grows and ages.
CREATE TABLE `admin_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`token_hash` text NOT NULL,
	`previous_token_hash` text,
	`previous_token_until` integer DEFAULT 0 NOT NULL,
	`expires_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`renewed_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `admin_tokens_token_hash_unique` ON `admin_tokens` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `admin_tokens_previous_token_hash_unique` ON `admin_tokens` (`previous_token_hash`);--> statement-breakpoint
CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`action` text NOT NULL,
	`actor` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`target` text NOT NULL,
	`address` text NOT NULL,
	`request_id` text NOT NULL,
	`outcome` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_by_age` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_by_target` ON `audit` (`target`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_by_actor` ON `audit` (`actor_id`,`seq`);--> statement-breakpoint
ALTER TABLE `instances` ADD `previous_token_hash` text;--> statement-breakpoint
ALTER TABLE `instances` ADD `previous_token_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `instances_by_previous_token` ON `instances` (`previous_token_hash`) WHERE previous_token_hash is not null;--> statement-breakpoint
CREATE TRIGGER `audit_is_not_changed` BEFORE UPDATE ON `audit` BEGIN SELECT raise(abort, 'the audit log is append only'); END;--> statement-breakpoint
CREATE TRIGGER `audit_is_not_shortened` BEFORE DELETE ON `audit` WHEN old.`at` > (unixepoch() - 86400) * 1000 BEGIN SELECT raise(abort, 'the audit log is append only'); END;
