# The edge on one machine: the bundled worker in the Workers runtime, as `local/edge.ts` starts it.
# Addresses and folders come from its command line, settings and secrets from its environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  # A small young generation: it is collected often and briefly, which cuts the slowest answers by half and more.
  v8Flags = ["--max-semi-space-size=2"],

  services = [
    (name = "edge", worker = .edge),

    # What fetch() reaches. Loopback and private networks are refused after the name was resolved.
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),

    # Receivers named in WEBHOOK_ALLOWLIST may be anywhere.
    (name = "laboratory", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),

    # The libSQL server: --external-addr=database=HOST:PORT
    (name = "database", external = (http = ())),

    # What the durable objects keep: --directory-path=state=FOLDER
    (name = "state", disk = (writable = true)),
  ],

  sockets = [
    # --socket-addr=http=HOST:PORT
    (name = "http", address = "127.0.0.1:8787", http = (), service = "edge"),
    # Any request here is one tick of the minute: --socket-addr=clock=127.0.0.1:PORT
    (name = "clock", address = "127.0.0.1:8788", http = (), service = (name = "edge", entrypoint = "Clock")),
  ],
);

const edge :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "../.build/edge.js")],
  compatibilityDate = "2026-07-01",
  # The second: a request says when its caller has left.
  compatibilityFlags = ["nodejs_compat", "enable_request_signal"],
  globalOutbound = "internet",

  bindings = [
    (name = "DATABASE", service = "database"),
    (name = "LABORATORY", service = "laboratory"),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "DATABASE_TOKEN", fromEnvironment = "DATABASE_TOKEN"),
    (name = "ADMIN_TOKEN", fromEnvironment = "ADMIN_TOKEN"),
    (name = "SEAL_KEYS", fromEnvironment = "SEAL_KEYS"),
    (name = "WEBHOOK_ALLOWLIST", fromEnvironment = "WEBHOOK_ALLOWLIST"),
    (name = "WEBHOOKS", fromEnvironment = "WEBHOOKS"),
    (name = "GLOBAL_WEBHOOK_URL", fromEnvironment = "GLOBAL_WEBHOOK_URL"),
    (name = "GLOBAL_WEBHOOK_EVENTS", fromEnvironment = "GLOBAL_WEBHOOK_EVENTS"),
    (name = "GLOBAL_WEBHOOK_SECRET", fromEnvironment = "GLOBAL_WEBHOOK_SECRET"),
    (name = "CALLS", fromEnvironment = "CALLS"),
    (name = "ACTION_TIMEOUT_MS", fromEnvironment = "ACTION_TIMEOUT_MS"),
    (name = "LOG_LEVEL", fromEnvironment = "LOG_LEVEL"),
    (name = "HOST_LINK", durableObjectNamespace = "HostLink"),
    (name = "COURIER", durableObjectNamespace = "Courier"),
  ],

  durableObjectNamespaces = [
    (className = "HostLink", uniqueKey = "msgnet-gateway-host-link", enableSql = true),
    (className = "Courier", uniqueKey = "msgnet-gateway-courier", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "state"),
);
