DROP INDEX `webhooks_in_trouble`;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `gave_up_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `webhooks_in_trouble` ON `webhooks` (`lane`) WHERE failing_since > 0 or gone or reported_trouble <> '' or gave_up_at > 0;--> statement-breakpoint
ALTER TABLE `webhook_events` ADD `webhook_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhook_events` ADD `is_open` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_events_in_order` ON `webhook_events` (`webhook_id`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_events_open` ON `webhook_events` (`webhook_id`) WHERE is_open;--> statement-breakpoint
UPDATE `webhook_events` SET `webhook_id` = `envelope` ->> '$.event.webhookId';--> statement-breakpoint
-- What was told last of a webhook waits for its end.
UPDATE `webhook_events` SET `is_open` = true WHERE `envelope` ->> '$.event.state' <> 'recovered'
  AND rowid IN (SELECT max(rowid) FROM `webhook_events` GROUP BY `webhook_id`);
