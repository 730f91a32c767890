<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/** Why a delivery must not be trusted. */
enum RefusalReason: string
{
    case HeaderMissing = 'header_missing';
    case TimestampUnreadable = 'timestamp_unreadable';
    case TooOld = 'too_old';
    case TooNew = 'too_new';
    case NoSignatureFits = 'no_signature_fits';
}
