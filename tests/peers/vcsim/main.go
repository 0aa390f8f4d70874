// A vCenter of the govmomi simulator on a free loopback port, for the tests of Gavel's collector.
//
// Prints "<host:port> <SHA-256 of its certificate>" once it listens, and ends when its standard input closes, so that
// it cannot outlive the test that started it.
package main

import (
	"crypto/sha256"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"

	"github.com/vmware/govmomi/simulator"
)

func main() {
	hosts := flag.Int("hosts", 3, "hosts in the cluster")
	vms := flag.Int("vms", 8, "virtual machines")
	user := flag.String("user", "gavel@vsphere.local", "the only user")
	password := flag.String("password", "correct-horse", "the user's password")
	flag.Parse()

	model := simulator.VPX()
	model.ClusterHost, model.Host, model.Machine = *hosts, 0, *vms
	defer model.Remove()
	if err := model.Create(); err != nil {
		log.Fatal(err)
	}
	model.Service.TLS = new(tls.Config)
	model.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword(*user, *password)}
	server := model.Service.NewServer()
	defer server.Close()

	fmt.Printf("%s %x\n", server.URL.Host, sha256.Sum256(server.Certificate().Raw))
	_, _ = io.Copy(io.Discard, os.Stdin)
}
