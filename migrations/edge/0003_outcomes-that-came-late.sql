CREATE TABLE `late_outcomes` (
	`act` text PRIMARY KEY NOT NULL,
	`outcome` blob NOT NULL,
	`at` integer NOT NULL
);
