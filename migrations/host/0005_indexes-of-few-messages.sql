DROP INDEX `messages_unread`;--> statement-breakpoint
DROP INDEX `messages_by_track`;--> statement-breakpoint
CREATE INDEX `messages_unread` ON `messages` (`instance`,`chatid`,`at`) WHERE unread = 1;--> statement-breakpoint
CREATE INDEX `messages_by_track` ON `messages` (`instance`,`track_id`,`at`) WHERE track_id <> '';