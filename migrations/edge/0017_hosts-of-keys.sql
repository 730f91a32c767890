ALTER TABLE `idempotency_keys` ADD `epoch` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `host_boot` text DEFAULT '' NOT NULL;