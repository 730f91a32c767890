CREATE TABLE `unawaited` (
	`instance` text NOT NULL,
	`messageid` text NOT NULL,
	`told` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`instance`, `messageid`)
);
