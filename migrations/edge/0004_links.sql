CREATE TABLE `links` (
	`id` text PRIMARY KEY NOT NULL,
	`instance_id` text NOT NULL,
	`secret_hash` text NOT NULL,
	`language` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`instance_id`) REFERENCES `instances`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `links_secret_hash_unique` ON `links` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `links_by_instance` ON `links` (`instance_id`);--> statement-breakpoint
CREATE INDEX `links_by_expiry` ON `links` (`expires_at`);--> statement-breakpoint
CREATE TRIGGER `links_end_when_linked` AFTER UPDATE OF `jid` ON `instances` WHEN new.`jid` <> '' AND old.`jid` = '' BEGIN UPDATE `links` SET `used_at` = unixepoch() * 1000 WHERE `instance_id` = new.`id` AND `used_at` = 0; END;
