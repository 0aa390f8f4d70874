// A govmomi client that walks through a vCenter and prints what it saw as one JSON document.
//
// Everything goes through the library's own helpers (finder, views, property collector, performance manager by counter
// name, esxcli), so that the server has to answer what those helpers ask.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/performance"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

type disk struct {
	Label   string `json:"label"`
	Backing string `json:"backing"`
	Bytes   int64  `json:"bytes"`
}

type machine struct {
	Name  string `json:"name"`
	Host  string `json:"host"`
	Path  string `json:"path"`
	Disks []disk `json:"disks"`
}

type host struct {
	Name     string            `json:"name"`
	Ancestor []string          `json:"ancestors"`
	Devices  map[string]int32  `json:"devices"`
	Paths    int               `json:"paths"`
	Adapters map[string]string `json:"adapters"`

	// esxcli: storage core device list, storage nmp device list, system module parameters list of every driver
	Depths     []esx.Values `json:"depths"`
	Policies   []esx.Values `json:"policies"`
	Parameters []esx.Values `json:"parameters"`
}

type series struct {
	Entity   string  `json:"entity"`
	Counter  string  `json:"counter"`
	Instance string  `json:"instance"`
	Stamps   []int64 `json:"stamps"`
	Values   []int64 `json:"values"`
}

type seen struct {
	Version    string            `json:"version"`
	Clock      time.Time         `json:"clock"`
	Datastores map[string]string `json:"datastores"`
	Machines   []machine         `json:"machines"`
	Hosts      []host            `json:"hosts"`
	Fields     []string          `json:"fields"`
	MaxMetrics string            `json:"max_metrics"`
	Updates    int               `json:"updates"`
	Series     []series          `json:"series"`
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	samples := flag.Int("samples", 3, "newest samples of every counter")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()

	address, err := url.Parse(os.Getenv("VCENTER_URL"))
	check(err)
	// The server's certificate is self-signed: trust is tested with other clients.
	client, err := govmomi.NewClient(ctx, address, true)
	check(err)

	out := seen{Version: client.ServiceContent.About.Version}
	now, err := methods.GetCurrentTime(ctx, client)
	check(err)
	out.Clock = *now
	inventory(ctx, client, &out)
	settings(ctx, client, &out)
	out.Updates = watch(ctx, client)
	counters(ctx, client, *samples, &out)
	check(client.Logout(ctx))
	check(json.NewEncoder(os.Stdout).Encode(out))
}

func inventory(ctx context.Context, client *govmomi.Client, out *seen) {
	finder := find.NewFinder(client.Client)
	out.Datastores = map[string]string{}
	centers, err := finder.DatacenterList(ctx, "*")
	check(err)
	for _, center := range centers {
		finder.SetDatacenter(center)
		stores, err := finder.DatastoreList(ctx, "*")
		check(err)
		for _, store := range stores {
			var moved mo.Datastore
			check(store.Properties(ctx, store.Reference(), []string{"info", "summary"}, &moved))
			out.Datastores[moved.Summary.Name] = fmt.Sprintf("%T", moved.Info)
		}
		machines, err := finder.VirtualMachineList(ctx, "*")
		check(err)
		for _, one := range machines {
			out.Machines = append(out.Machines, readMachine(ctx, one))
		}
		hosts, err := finder.HostSystemList(ctx, "*/*")
		check(err)
		for _, one := range hosts {
			out.Hosts = append(out.Hosts, readHost(ctx, client, one))
		}
	}
}

func readMachine(ctx context.Context, one *object.VirtualMachine) machine {
	running, err := one.HostSystem(ctx)
	check(err)
	name, err := running.ObjectName(ctx)
	check(err)
	devices, err := one.Device(ctx)
	check(err)
	found := machine{Name: one.Name(), Host: name, Path: one.InventoryPath}
	for _, device := range devices.SelectByType((*types.VirtualDisk)(nil)) {
		hard := device.(*types.VirtualDisk)
		label := devices.Name(hard)
		found.Disks = append(found.Disks, disk{label, fmt.Sprintf("%T", hard.Backing), hard.CapacityInBytes})
	}
	return found
}

func readHost(ctx context.Context, client *govmomi.Client, one *object.HostSystem) host {
	var moved mo.HostSystem
	check(one.Properties(ctx, one.Reference(), []string{"name", "config.storageDevice"}, &moved))
	storage := moved.Config.StorageDevice
	found := host{Name: moved.Name, Devices: map[string]int32{}, Adapters: map[string]string{}}
	ancestors, err := mo.Ancestors(ctx, client.Client, client.ServiceContent.PropertyCollector, one.Reference())
	check(err)
	for _, above := range ancestors {
		found.Ancestor = append(found.Ancestor, above.Name)
	}
	for _, lun := range storage.ScsiLun {
		found.Devices[lun.GetScsiLun().CanonicalName] = lun.GetScsiLun().QueueDepth
	}
	for _, unit := range storage.MultipathInfo.Lun {
		found.Paths += len(unit.Path)
	}
	for _, adapter := range storage.HostBusAdapter {
		found.Adapters[adapter.GetHostHostBusAdapter().Device] = adapter.GetHostHostBusAdapter().Driver
	}
	found.Depths = esxcli(ctx, client, one, "storage", "core", "device", "list")
	found.Policies = esxcli(ctx, client, one, "storage", "nmp", "device", "list")
	for driver := range drivers(found.Adapters) {
		parameters := esxcli(ctx, client, one, "system", "module", "parameters", "list", "-m", driver)
		found.Parameters = append(found.Parameters, parameters...)
	}
	return found
}

func drivers(adapters map[string]string) map[string]bool {
	names := map[string]bool{}
	for _, driver := range adapters {
		names[driver] = true
	}
	return names
}

func settings(ctx context.Context, client *govmomi.Client, out *seen) {
	fields, err := object.NewCustomFieldsManager(client.Client).Field(ctx)
	check(err)
	for _, field := range fields {
		out.Fields = append(out.Fields, field.Name)
	}
	options := object.NewOptionManager(client.Client, *client.ServiceContent.Setting)
	found, err := options.Query(ctx, "config.vpxd.stats.maxQueryMetrics")
	check(err)
	out.MaxMetrics = fmt.Sprint(found[0].GetOptionValue().Value)
}

// esxcli asks the host for a command's description, then runs it.
func esxcli(ctx context.Context, client *govmomi.Client, one *object.HostSystem, args ...string) []esx.Values {
	executor, err := esx.NewExecutor(ctx, client.Client, one)
	check(err)
	answer, err := executor.Run(ctx, args)
	check(err)
	return answer.Values
}

// watch counts the objects of the first full round of updates, in pages.
func watch(ctx context.Context, client *govmomi.Client) int {
	all := container(ctx, client)
	filter := new(property.WaitFilter).Add(all, "VirtualMachine", []string{"name", "runtime.host"}, &types.TraversalSpec{
		Type: "ContainerView", Path: "view",
	})
	filter.Spec.ObjectSet[0].Skip = types.NewBool(true)
	filter.PropagateMissing = true
	filter.Options = &types.WaitOptions{MaxObjectUpdates: 7, MaxWaitSeconds: types.NewInt32(1)}
	count := 0
	collector := property.DefaultCollector(client.Client)
	check(property.WaitForUpdates(ctx, collector, filter, func(updates []types.ObjectUpdate) bool {
		count += len(updates)
		return !filter.Truncated
	}))
	return count
}

func container(ctx context.Context, client *govmomi.Client) types.ManagedObjectReference {
	made, err := view.NewManager(client.Client).CreateContainerView(
		ctx, client.ServiceContent.RootFolder, []string{"HostSystem", "VirtualMachine"}, true)
	check(err)
	return made.Reference()
}

// counters asks for everything the newest samples hold, by counter name, one kind of object after the other.
func counters(ctx context.Context, client *govmomi.Client, samples int, out *seen) {
	manager := performance.NewManager(client.Client)
	known, err := manager.CounterInfoByName(ctx)
	check(err)
	made := view.NewContainerView(client.Client, container(ctx, client))
	for kind, groups := range map[string][]string{
		"HostSystem":     {"disk.", "storage.", "storagePath.", "storageAdapter.", "datastore."},
		"VirtualMachine": {"virtualDisk."},
	} {
		objects, err := made.Find(ctx, []string{kind}, nil)
		check(err)
		summary, err := manager.ProviderSummary(ctx, objects[0])
		check(err)
		spec := types.PerfQuerySpec{MaxSample: int32(samples), IntervalId: summary.RefreshRate,
			MetricId: []types.PerfMetricId{{Instance: "*"}}}
		raw, err := manager.SampleByName(ctx, spec, named(known, groups), objects)
		check(err)
		metrics, err := manager.ToMetricSeries(ctx, raw)
		check(err)
		for _, metric := range metrics {
			collect(metric, out)
		}
	}
}

func named(known map[string]*types.PerfCounterInfo, prefixes []string) []string {
	var names []string
	for name := range known {
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		}
	}
	return names
}

func collect(metric performance.EntityMetric, out *seen) {
	stamps := make([]int64, len(metric.SampleInfo))
	for place, info := range metric.SampleInfo {
		stamps[place] = info.Timestamp.Unix()
	}
	for _, one := range metric.Value {
		if len(one.Value) != len(stamps) {
			log.Fatalf("%s %s: %d values for %d samples", metric.Entity.Value, one.Name, len(one.Value), len(stamps))
		}
		out.Series = append(out.Series, series{metric.Entity.Value, one.Name, one.Instance, stamps, one.Value})
	}
}
