DROP INDEX `further_deliveries_waiting`;--> statement-breakpoint
CREATE INDEX `further_deliveries_due` ON `further_deliveries` (`webhook_id`,`next_attempt_at`,`seq`) WHERE status = 'pending';--> statement-breakpoint
ALTER TABLE `further_webhooks` ADD `since` integer DEFAULT 0 NOT NULL;