-- What is shown while a device is linked is sealed from now on, and what is there in the clear goes; hosts take what the admin gave them.
ALTER TABLE `instances` DROP COLUMN `pairing`;--> statement-breakpoint
ALTER TABLE `instances` ADD `pairing` blob;--> statement-breakpoint
ALTER TABLE `instances` ADD `pairing_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `instances_pairing` ON `instances` (`pairing_until`) WHERE pairing is not null;--> statement-breakpoint
ALTER TABLE `hosts` ADD `slots_given` integer DEFAULT 200 NOT NULL;--> statement-breakpoint
UPDATE `hosts` SET `slots_given` = min(100000, max(200, `slots`));
