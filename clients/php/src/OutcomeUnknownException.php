<?php

declare(strict_types=1);

namespace Msgnet\Gateway;

/**
 * The network was asked and did not answer in time: it may have had its effect. The client has asked again with the
 * same key, for as long as it may. Do not send it with another key; `findMessages(id: $error->messageid)` tells later
 * what became of it.
 */
final class OutcomeUnknownException extends GatewayException
{
}
