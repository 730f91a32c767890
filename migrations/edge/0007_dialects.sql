ALTER TABLE `deliveries` ADD `parts_done` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `beyond` text;--> statement-breakpoint
ALTER TABLE `instances` ADD `handle` text;--> statement-breakpoint
CREATE INDEX `instances_by_handle` ON `instances` (`handle`) WHERE handle is not null;--> statement-breakpoint
CREATE INDEX `instances_by_account` ON `instances` (`jid`) WHERE jid <> '';--> statement-breakpoint
ALTER TABLE `server_webhook` ADD `format` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `format` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `format_options` text;