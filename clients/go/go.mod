module example.org/msgnet-gateway/gateway

go 1.18
